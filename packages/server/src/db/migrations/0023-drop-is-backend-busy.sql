-- Silent connections are examined by a session of the login itself, so no function needs the login's rights for it.
drop function is_backend_busy(int);
