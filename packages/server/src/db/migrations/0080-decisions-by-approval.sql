-- The calls that used an approval or asked for it. Few calls have an approval, so the index is small.
create index decision_records_by_approval on decision_records (tenant_id, approval_id, at desc, decision_id desc)
  where approval_id is not null and result_of is null;
