/** The names of this machine's loopback interface, as a `Host` header or a URL contains them. */
export const loopbackNames: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])
