with

as_of as (

    select as_of from {{ ref('int_as_of') }}

),

both_doors as (

    select chain, address, "at", price, resolution, source
    from {{ ref('stg_prices__candles') }}
    where {{ ledger_is('raw') }}
    union all
    select chain, address, "at", price, resolution, source
    from {{ ref('stg_tape__prices') }}
    where {{ ledger_is('tape') }}

),

visible as (

    select
        chain,
        address,
        "at",
        cast(price as decimal(38, 24)) as price,
        resolution,
        coalesce(source, 'unknown') as source
    from both_doors
    where "at" <= (select as_of from as_of)

),

-- Several sources fill one series: the alphabetically first stands for the moment (METHODS 2).
final as (

    select chain, address, "at", price, resolution, source
    from visible
    qualify row_number() over (
        partition by chain, address, resolution, "at" order by source, price
    ) = 1

)

select * from final
