{{ config(meta={'dagster': {'ref': {'name': 'leaderboard'}}}) }}

-- A rank is one more than the number of wallets with more whole cents; places run 1, 2, 3 without a gap
-- in the order of rank, volume and address.
with

cents as (

    select *, {{ whole_cents('figure') }} as figure_cents
    from {{ ref('leaderboard') }}

),

expected as (

    select
        *,
        1 + coalesce(
            count(*) over (
                partition by method, board, "window"
                order by figure_cents desc
                range between unbounded preceding and current row exclude group
            ),
            0
        ) as expected_rank,
        lag(place) over in_order as place_before
    from cents
    window in_order as (
        partition by method, board, "window" order by rank, volume_usd desc, wallet, chain
    )

)

select method, board, "window", chain, wallet, figure, rank, expected_rank, place
from expected
where rank <> expected_rank or place <> coalesce(place_before, 0) + 1
