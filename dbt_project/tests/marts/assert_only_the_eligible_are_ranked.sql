{{ config(meta={'dagster': {'ref': {'name': 'leaderboard'}}}) }}

-- Nobody who misses a minimum is on a board.
select
    ranked.method,
    ranked.board,
    ranked."window",
    ranked.chain,
    ranked.wallet,
    missed.criterion,
    missed.value,
    missed.threshold
from {{ ref('leaderboard') }} as ranked
inner join {{ ref('eligibility') }} as missed
    on
        ranked.method = missed.method
        and ranked."window" = missed."window"
        and ranked.chain = missed.chain
        and ranked.wallet = missed.wallet
where not missed.passed
