with

figures as (

    select * from {{ ref('int_wallet_figures') }}

),

chain_natives as (

    select chain, min_by(decimals, address) as decimals
    from {{ ref('int_assets') }}
    where role = 'native'
    group by chain

),

final as (

    select
        figures.method,
        figures.method_version,
        figures.as_of,
        figures."window",
        figures.chain,
        figures.wallet,
        figures.realized_usd,
        {{ units_text('figures.realized_native_raw', 'chain_natives.decimals') }} as realized_native,
        figures.unrealized_usd,
        cast({{ total_of('figures.realized_usd', 'figures.unrealized_usd') }} as decimal(38, 9)) as total_usd,
        {{ roi_pct('figures') }} as roi_pct,
        case
            when figures.win_units > 0 then cast(figures.wins as double) / cast(figures.win_units as double)
        end as win_rate,
        figures.wins,
        figures.win_units,
        figures.avg_hold_s,
        figures.volume_usd,
        figures.trades,
        figures.sells,
        figures.tokens_traded,
        cast(null as bigint) as tokens_with_known_cost,
        figures.closed_trades,
        figures.sales_left_out,
        figures.trades_not_priced,
        figures.positions_without_price,
        figures.sold_unknown_cost_usd,
        case
            when figures.sold_known_cost_usd + figures.sold_unknown_cost_usd > 0
                then
                    cast(figures.sold_known_cost_usd as double)
                    / cast(figures.sold_known_cost_usd + figures.sold_unknown_cost_usd as double)
        end as known_cost_share,
        cast(null as double) as coverage,
        cast(null as varchar) as confidence,
        cast(null as varchar) as confidence_reasons,
        case
            when figures.volume_usd > 0
                then cast(figures.wash_usd as double) / cast(figures.volume_usd as double)
        end as wash_share,
        figures.wash_usd,
        cast(null as decimal(38, 9)) as gas_spent_usd,
        figures.failed_transactions,
        cast(null as boolean) as is_bot,
        cast(null as varchar) as bot_reasons,
        cast(null as double) as score,
        cast(null as boolean) as stable,
        cast(null as boolean) as high_profit,
        cast(null as boolean) as active,
        cast(null as varchar) as best_token,
        cast(null as varchar) as worst_token,
        cast(null as varchar) as deposits_native,
        cast(null as varchar) as failed_fees_native,
        figures.tracked_since,
        figures.history_from as indexed_since,
        figures.history_truncated,
        figures.label as labels
    from figures
    left join chain_natives on figures.chain = chain_natives.chain

)

select * from final
