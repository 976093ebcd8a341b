with

calls as (

    {{ solana_accepted(ref('stg_solana__program_calls')) }}

),

venues as (

    select * from {{ ref('venues') }}

),

meanings as (

    select * from {{ ref('instruction_meanings') }}

),

final as (

    select
        calls.signature,
        calls.outer_index,
        calls.inner_index,
        -- Older answers leave the height out: a top-level call is 1, and one inside is at least 2.
        coalesce(calls.stack_height, case when calls.inner_index = -1 then 1 else 2 end) as stack_height,
        calls.stack_height is null and calls.inner_index >= 0 as is_height_unknown,
        calls.program_id,
        calls.instruction_name,
        calls.accounts,
        venues.venue,
        venues.kind as venue_kind,
        coalesce(venues.recognised, false) as recognised,
        nullif(venues.source_label, '') as source_label,
        coalesce(own_meanings.meaning, general_meanings.meaning) as meaning
    from calls
    left join venues on calls.program_id = venues.program_id
    left join meanings as own_meanings
        on calls.program_id = own_meanings.program_id
        and calls.instruction_name = own_meanings.instruction_name
    left join meanings as general_meanings
        on general_meanings.program_id = '*'
        and calls.instruction_name = general_meanings.instruction_name
        and venues.kind in ('amm', 'clmm', 'launchpad')

)

select * from final
