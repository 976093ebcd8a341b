select
    signature,
    outer_index,
    inner_index,
    account,
    funder,
    lamports,
    space,
    kind,
    parse_filename(filename, true) as raw_file
from {{ source('decoded', 'created_accounts') }}
