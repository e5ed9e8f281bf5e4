/** Session settings that make PostgreSQL end a session within 25 seconds after the client's machine is gone. */
export const keepalives = { tcp_keepalives_idle: '10', tcp_keepalives_interval: '5', tcp_keepalives_count: '3' }
