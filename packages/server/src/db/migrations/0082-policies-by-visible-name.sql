-- A save with a new name looks for another policy with this name, whatever its Unicode form and whatever nobody sees in it. This is `nameKey` of the
-- contract: Unicode's property Default_Ignorable_Code_Point as ranges, and the white space that JavaScript trims. Policies that already have one key
-- keep their names, so the index is not unique.
create function name_key(name text) returns text language sql immutable strict parallel safe as $$
  select btrim(
    normalize(
      regexp_replace(
        name,
        '[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]',
        '',
        'g'
      ),
      nfc
    ),
    E'\t\n\u000b\f\r \u00a0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000'
  )
$$;

-- A column, because row-level security keeps PostgreSQL from a search of an index for the result of this function. Rewrites the table.
alter table policies add column name_key text not null generated always as (name_key(name)) stored;

drop index policies_by_name;
create index policies_by_name on policies (tenant_id, name_key);
