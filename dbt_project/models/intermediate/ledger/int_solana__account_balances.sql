with

accepted as (

    {{ solana_accepted(ref('stg_solana__account_balances')) }}

),

final as (

    select
        *,
        mint = {{ solana_sol() }} as is_wrapped_sol,
        row_number() over (partition by signature, account_index order by mint) = 1 as is_first_of_account
    from accepted

)

select * from final
