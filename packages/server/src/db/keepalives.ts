/** Settings of a session by which PostgreSQL notices within 25 seconds that the machine of its client is gone, and ends the session. */
export const keepalives = '-c tcp_keepalives_idle=10 -c tcp_keepalives_interval=5 -c tcp_keepalives_count=3'
