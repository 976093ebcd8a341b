select
    file,
    "row",
    signature,
    fee_payer,
    slot,
    block_time,
    "column",
    reason
from {{ source('decoded', 'rejects') }}
