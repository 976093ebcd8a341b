with

cash_values as (

    select * from {{ ref('int_cash_values') }}

),

-- The price is the ratio of the two integers; it is divided only where it values something. A body that
-- came without its slot has no place in the order, so nothing is known to come after it.
worth_a_tick as (

    select
        cash_rule,
        chain,
        token,
        {{ tx_order('block', 'tx_index') }} as tx_order,
        seq,
        tx_id,
        leg,
        wallet,
        block_time,
        qty_raw,
        value_usd
    from cash_values
    where value_usd >= 0.01 and qty_raw > 0 and block is not null

),

-- Few places of the order hold several swaps of a token, and only those need sorting.
shared_places as (

    select cash_rule, chain, token, tx_order
    from worth_a_tick
    group by cash_rule, chain, token, tx_order
    having count(*) > 1

),

alone as (

    select * from worth_a_tick anti join shared_places using (cash_rule, chain, token, tx_order)

),

-- Of several swaps of a token at one place of the order the last stands for the moment.
last_of_several as (

    select *
    from worth_a_tick
    semi join shared_places using (cash_rule, chain, token, tx_order)
    qualify row_number() over (
        partition by cash_rule, chain, token, tx_order
        order by seq desc nulls first, tx_id desc, leg desc, wallet desc
    ) = 1

),

ticks as (

    select * from alone
    union all
    select * from last_of_several

),

final as (

    select
        cash_rule,
        chain,
        token,
        tx_order,
        tx_id,
        block_time,
        qty_raw,
        value_usd
    from ticks

)

select * from final
