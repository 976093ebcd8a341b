with

movements as (

    select * from {{ ref('int_movements') }} where kind = 'swap' and wallet is not null

),

cash as (

    select chain, address from {{ ref('int_assets') }} where role in ('native', 'stable')

),

final as (

    select
        movements.*,
        {{ tx_order('movements.block', 'movements.tx_index') }} as tx_order
    from movements
    anti join cash on movements.chain = cash.chain and movements.sent_asset = cash.address
    anti join cash on movements.chain = cash.chain and movements.received_asset = cash.address

)

select * from final
