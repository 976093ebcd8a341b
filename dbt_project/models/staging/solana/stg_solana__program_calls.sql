select
    signature,
    outer_index,
    inner_index,
    stack_height,
    program_id,
    instruction_name,
    discriminator,
    accounts,
    parse_filename(filename, true) as raw_file
from {{ source('decoded', 'program_calls') }}
