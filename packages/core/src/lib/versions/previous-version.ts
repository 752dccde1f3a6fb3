import type { EventType } from '../events/event-type.ts'

/** A previous format version, as the difference from the next newer one. */
export interface PreviousVersion<
  Version extends string = string,
  T extends EventType = EventType,
  Absent extends string = string,
> {
  /** A date before that of the next newer version: `2026-04-01`. */
  readonly version: Version
  /** The day from which the version is deprecated, in UTC, possibly in the future; by default, it is not deprecated. */
  readonly deprecated?: string | undefined
  /** The day from which the version may no longer work, in UTC; unknown by default. */
  readonly sunset?: string | undefined
  /**
   * Whether the version ends on the day of its sunset. Requests for it are then refused, and keys and subscriptions
   * that are pinned to it get the next newer version. By default, the sunset is only announced.
   */
  readonly enforceSunset?: boolean | undefined
  /** The https: URL of a page that says what changed and what to do; sent with the deprecation. None by default. */
  readonly link?: string | undefined
  /**
   * The event types that differ from the next newer version: those of another shape (`definePreviousType`), and those
   * that ended with this version (`defineEventType`). None by default.
   */
  readonly types?: readonly T[] | undefined
  /** Names of the event types that the next newer version has and this version does not; none by default. */
  readonly without?: readonly Absent[] | undefined
}
