with

token_moves as (

    select * from {{ ref('int_solana__token_moves') }} where kind in ('transfer', 'mint', 'burn')

),

-- An instruction that moved a wallet's tokens on behalf of a program is the exchange's own call; a plain
-- token instruction (it stands at the top itself) is not.
moved as (

    select distinct signature, outer_index, unnest([source_owner, destination_owner]) as wallet
    from token_moves
    where inner_index >= 0

),

final as (

    select * from moved where wallet is not null

)

select * from final
