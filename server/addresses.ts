/** Who may ask: checks of the Host and Origin headers against other sites' pages and renamed hosts. */

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\]|::1)$/i

export function isLoopback(host: string): boolean {
  return LOOPBACK.test(host)
}

/** Host name of a Host header, without port and lower case; undefined when it is malformed. */
function hostName(header: string): string | undefined {
  const match = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(:\d{1,5})?$/i.exec(header)
  return match?.[1].toLowerCase()
}

/**
 * Whether a request is addressed to this server. A server on loopback answers to loopback names only: else a page
 * whose name was pointed at 127.0.0.1 could read it.
 * @param bound the host the server was told to listen on
 * @param names further names it answers to
 */
export function knowsHost(bound: string, names: readonly string[], header: string | undefined): boolean {
  if (header === undefined) return false
  const name = hostName(header)
  if (name === undefined) return false
  return !isLoopback(bound) || isLoopback(name) || names.some((known) => known.toLowerCase() === name)
}

/**
 * Whether a socket may be opened from a page of that origin: programs (no origin), this server's own pages, and on
 * loopback any loopback page (a development server in front of this one).
 */
export function knowsOrigin(bound: string, host: string | undefined, origin: string | undefined): boolean {
  if (origin === undefined) return true
  let from: URL
  try {
    from = new URL(origin)
  } catch {
    return false
  }
  if (from.protocol !== 'http:' && from.protocol !== 'https:') return false
  if (from.host === host?.toLowerCase()) return true
  return isLoopback(bound) && isLoopback(from.hostname)
}
