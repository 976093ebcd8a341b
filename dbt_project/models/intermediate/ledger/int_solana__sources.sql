with

venues as (

    select * from {{ ref('int_solana__venues') }}

),

router_calls as (

    select signature, source_label, outer_index, inner_index, 1 as precedence
    from {{ ref('int_solana__calls') }}
    where source_label is not null

),

-- A fee names who sent the order in whatever asset it was taken.
token_fees as (

    select
        moves.signature,
        nullif(fee_accounts.source_label, '') as source_label,
        moves.outer_index,
        moves.inner_index,
        0 as precedence
    from {{ ref('int_solana__token_moves') }} as moves
    inner join {{ ref('fee_accounts') }} as fee_accounts
        on moves.destination_owner = fee_accounts.address
    where moves.kind = 'transfer' and fee_accounts.role = 'bot_fee'

),

native_fees as (

    select signature, source_label, outer_index, inner_index, 0 as precedence
    from {{ ref('int_solana__native_payments') }}
    where role = 'bot_fee'

),

named as (

    select * from router_calls
    union all
    select * from token_fees
    union all
    select * from native_fees

),

names as (

    select signature, arg_min(source_label, precedence * 1000000000 + outer_index * 100000 + inner_index) as source_label
    from named
    where source_label is not null
    group by signature

),

-- `direct` only where a trading program ran and nobody is named; else unknown.
final as (

    select
        coalesce(venues.signature, names.signature) as signature,
        coalesce(names.source_label, 'direct') as source
    from venues
    full join names on venues.signature = names.signature

)

select * from final
