select
    signature,
    outer_index,
    inner_index,
    kind,
    source,
    destination,
    authority,
    mint,
    amount,
    parse_filename(filename, true) as raw_file
from {{ source('decoded', 'token_transfers') }}
