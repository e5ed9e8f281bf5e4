-- A save with a new name looks for another policy with this name, in any Unicode form.
drop index policies_by_name;
create index policies_by_name on policies (tenant_id, normalize(name, nfc));
