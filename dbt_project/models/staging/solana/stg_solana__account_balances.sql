with

account_balances as (

    select * from {{ source('decoded', 'account_balances') }}

),

final as (

    select
        signature,
        account_index,
        account,
        is_signer,
        pre_lamports,
        post_lamports,
        mint,
        pre_owner,
        post_owner,
        owner_on_curve,
        decimals,
        pre_amount,
        post_amount,
        parse_filename(filename, true) as raw_file
    from account_balances

)

select * from final
