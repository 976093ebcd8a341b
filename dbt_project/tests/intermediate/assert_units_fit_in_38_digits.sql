-- Fails when what one wallet bought or sold of one token has more than 38 digits in all: sums and
-- the replay would overflow further down, where an error can't say whose units they were.
with

movements as (

    select * from {{ ref('int_movements') }} where kind in ('swap', 'transfer_in', 'transfer_out', 'ambiguous')

),

units as (

    select chain, wallet, received_asset as token, received_raw as units_raw
    from movements
    where received_asset is not null
    union all
    select chain, wallet, sent_asset as token, sent_raw as units_raw
    from movements
    where sent_asset is not null

),

final as (

    select chain, wallet, token, sum(cast(units_raw as double)) as units_raw
    from units
    group by chain, wallet, token
    -- One amount of 38 nines fits; a double can't tell it from 10^38.
    having sum(cast(units_raw as double)) > 1.000000001e38

)

select * from final
