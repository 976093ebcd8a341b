with

figures as (

    select * from {{ ref('int_wallet_figures') }}

),

criteria as (

    select * from {{ ref('eligibility_criteria') }}

),

-- Every measure a criterion may name, as an exact fraction so that a limit just met is met.
measures as (

    {% set measures = {
        'closed_trades': ('closed_trades', '1'),
        'volume_usd': ('volume_usd', '1'),
        'tokens_traded': ('tokens_traded', '1'),
        'days_tracked': ('tracked_s', '86400'),
        'wash_share': ('wash_usd', 'nullif(volume_usd, 0)'),
    } %}
    {% for name, (part, whole) in measures.items() %}
        {{- 'union all' if not loop.first }}
        select
            method,
            "window",
            chain,
            wallet,
            '{{ name }}' as criterion,
            cast({{ part }} as decimal(38, 9)) as part,
            cast({{ whole }} as decimal(38, 9)) as whole
        from figures
    {% endfor %}

),

compared as (

    select
        measures.*,
        criteria.threshold,
        criteria.comparison,
        criteria.passes_unknown,
        -- The sign of part ÷ whole − threshold, both denominators in billionths.
        compare_ratios(
            1,
            measures.part,
            cast({{ nano_usd('measures.whole') }} as decimal(38, 0)),
            1,
            criteria.threshold,
            cast(1000000000 as decimal(38, 0))
        ) as above
    from measures
    inner join criteria
        on
            measures.method = criteria.method
            and measures."window" = criteria."window"
            and measures.criterion = criteria.criterion

),

final as (

    select
        method,
        "window",
        chain,
        wallet,
        criterion,
        cast(part as double) / cast(whole as double) as value,
        cast(threshold as double) as threshold,
        comparison,
        case
            when part is null or whole is null then passes_unknown
            when comparison = 'at_least' then above >= 0
            when comparison = 'at_most' then above <= 0
        end as passed
    from compared

)

select * from final
