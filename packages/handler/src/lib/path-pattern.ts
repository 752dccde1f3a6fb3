/**
 * The whole path as a regular expression for itty-router's table: `:name` takes one segment, `.` is a plain dot, and a
 * `?` makes the character before it optional (`/keys/?`). itty-router's own patterns would match any number of slashes at
 * the end.
 *
 * @example
 * pathPattern('/v1/events/:id').exec('/v1/events/evt_1')?.groups // { id: 'evt_1' }
 */
export function pathPattern(path: string): RegExp {
  return new RegExp(`^${path.replaceAll('.', '\\.').replace(/:(\w+)/g, '(?<$1>[^/]+)')}$`)
}
