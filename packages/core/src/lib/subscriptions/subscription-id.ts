import { isId } from '../id.ts'

/** The characters are those that need no escape in a URL. A leading dot is refused, because paths lose `.` and `..`. */
const FORM = /^[A-Za-z0-9_-][A-Za-z0-9_.-]{0,63}$/
/** A subscription with the id of another object could not be told from it where any id is accepted. */
const OTHER_OBJECTS = ['evt', 'key', 'att', 'req', 'test'] as const
/** These follow `/subscriptions/` in the paths of the dashboard. */
const DASHBOARD_PAGES: readonly string[] = ['new', 'check-target']

/** What {@link isSubscriptionId} accepts, for error messages. */
export const SUBSCRIPTION_ID_RULE =
  '1 to 64 characters, A-Z a-z 0-9 _ . - only, must not begin with a dot, and must not be the id of another object.'

/**
 * Whether a string can be the id of a subscription: one that Callboard generated (`sub_…`), or one that the platform
 * brought along with an import.
 */
export function isSubscriptionId(value: string): boolean {
  return FORM.test(value) && !OTHER_OBJECTS.some((prefix) => isId(prefix, value)) && !DASHBOARD_PAGES.includes(value)
}
