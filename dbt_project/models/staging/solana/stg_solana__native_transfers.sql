select
    signature,
    outer_index,
    inner_index,
    source,
    destination,
    lamports,
    kind,
    parse_filename(filename, true) as raw_file
from {{ source('decoded', 'native_transfers') }}
