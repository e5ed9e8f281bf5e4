-- Values of the metrics that a job counts in all tenants, so that a scrape reads only them. `tenant` is a label: the id of a tenant, `other`,
-- or empty.
create table counted_gauges (
  name text not null,
  tenant text not null,
  label text not null,
  value bigint not null,
  primary key (name, tenant, label)
);
grant select, insert, update, delete on counted_gauges to mandate_app;
