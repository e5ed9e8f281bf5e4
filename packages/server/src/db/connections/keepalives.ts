/** Session settings that make PostgreSQL end a session within 25 seconds after the client's machine is gone. */
export const keepalives = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3'
