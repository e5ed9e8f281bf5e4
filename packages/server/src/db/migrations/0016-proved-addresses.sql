-- Whether the person proved the address: by a mailed link, or by the word of the tenant's own identity provider.
alter table users add column email_verified boolean not null default false;

alter table users no force row level security;
alter table audit_entries no force row level security;

-- Accounts of the embedded provider say it themselves. Of accounts at another provider, those count as proved that did not register here.
update users u set email_verified = true
where u.status = 'active' and u.account_id is not null and (
  exists (select from identity.accounts a where a.id::text = u.account_id and a.email_verified)
  or exists (select from identity.federated_links l where l.account_id = u.account_id)
  or (
    not exists (select from identity.accounts a where a.id::text = u.account_id)
    and not exists (
      select from audit_entries e
      where e.tenant_id = u.tenant_id and e.resource_id = u.id and e.event_type = 'user.joined'
        and e.details ->> 'by' = 'registration')
  )
);

alter table users force row level security;
alter table audit_entries force row level security;
