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

-- Of several swaps of a token at one place of the order the last stands for the moment.
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
    from worth_a_tick
    qualify row_number() over (
        partition by cash_rule, chain, token, tx_order
        order by seq desc nulls first, tx_id desc, leg desc, wallet desc
    ) = 1

)

select * from final
