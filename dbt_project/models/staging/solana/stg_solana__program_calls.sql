with

program_calls as (

    select * from {{ source('decoded', 'program_calls') }}

),

final as (

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
    from program_calls

)

select * from final
