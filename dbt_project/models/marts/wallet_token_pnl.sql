with

figures as (

    select * from {{ ref('int_token_figures') }}

),

methods as (

    select * from {{ ref('int_methods') }}

),

assets as (

    select * from {{ ref('int_assets') }}

),

chain_natives as (

    select chain, min_by(decimals, address) as decimals
    from {{ ref('int_assets') }}
    where role = 'native'
    group by chain

),

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

final as (

    select
        figures.method,
        methods.method_version,
        as_of.as_of,
        figures."window",
        figures.chain,
        figures.wallet,
        figures.token,
        {{ units_text('figures.bought_raw', 'assets.decimals') }} as bought_qty,
        {{ units_text('figures.sold_raw', 'assets.decimals') }} as sold_qty,
        cast(figures.bought_raw as decimal(38, 0)) as bought_raw,
        cast(figures.sold_raw as decimal(38, 0)) as sold_raw,
        cast(figures.bought_usd as decimal(38, 9)) as bought_usd,
        cast(figures.sold_usd as decimal(38, 9)) as sold_usd,
        case
            when figures.bought_priced_raw > 0
                then
                    cast(figures.bought_usd as double)
                    / (cast(figures.bought_priced_raw as double) / power(10, assets.decimals))
        end as avg_buy_usd,
        case
            when figures.sold_priced_raw > 0
                then
                    cast(figures.sold_usd as double)
                    / (cast(figures.sold_priced_raw as double) / power(10, assets.decimals))
        end as avg_sell_usd,
        cast(figures.realized_usd as decimal(38, 9)) as realized_usd,
        {{ units_text('figures.realized_native_raw', 'chain_natives.decimals') }} as realized_native,
        cast(figures.unrealized_usd as decimal(38, 9)) as unrealized_usd,
        cast({{ total_of('figures.realized_usd', 'figures.unrealized_usd') }} as decimal(38, 9)) as total_usd,
        cast(figures.cost_of_sold_usd as decimal(38, 9)) as cost_of_sold_usd,
        case
            when figures.shows_unknown_cost then cast(figures.unknown_cost_proceeds_usd as decimal(38, 9))
        end as sold_unknown_cost_usd,
        {{ roi_pct('figures') }} as roi_pct,
        figures.buys,
        figures.sells,
        figures.trades_not_priced,
        figures.sales_left_out,
        figures.volume_usd,
        figures.first_trade_at,
        figures.last_trade_at,
        cast(null as bigint) as holding_time_s,
        cast(null as varchar) as cost_basis,
        false as quote
    from figures
    cross join as_of
    inner join methods on figures.method = methods.method
    left join assets on figures.chain = assets.chain and figures.token = assets.address
    left join chain_natives on figures.chain = chain_natives.chain

)

select * from final
