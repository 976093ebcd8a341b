with

ledger_times as (

    select block_time from {{ ref('int_solana__movements') }} where {{ ledger_is('raw') }}
    union all
    select block_time from {{ ref('stg_tape__movements') }} where {{ ledger_is('tape') }}

),

price_times as (

    select "at" from {{ ref('stg_prices__candles') }} where {{ ledger_is('raw') }}
    union all
    select "at" from {{ ref('stg_tape__prices') }} where {{ ledger_is('tape') }}

),

final as (

    select
        coalesce(
            {% if var('as_of') -%}
            cast(cast('{{ var("as_of") }}' as timestamptz) at time zone 'UTC' as timestamp),
            {%- endif %}
            (select max(block_time) from ledger_times),
            (select max("at") from price_times),
            timestamp '1970-01-01 00:00:00'
        ) as as_of

)

select * from final
