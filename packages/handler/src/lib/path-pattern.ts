/**
 * Turns the path of a route into a regular expression for itty-router's table. It matches only whole paths. `:name`
 * matches one segment, `.` matches a dot, and `?` makes the character before it optional (`/keys/?`). itty-router's own
 * patterns would also match any number of trailing slashes.
 *
 * @example
 * pathPattern('/v1/events/:id').exec('/v1/events/evt_1')?.groups // { id: 'evt_1' }
 */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
}
