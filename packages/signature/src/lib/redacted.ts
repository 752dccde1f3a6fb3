/**
 * `Data` as it may come: what the personal-data paths lead to is absent for a key without `people.read`, and once it was
 * erased. Paths as in a catalogue: keys joined by dots, a step that meets an array applies to each element. As it is where
 * the paths are not known, as plain `string` is not.
 */
export type Redacted<Data, Path extends string> = [Path] extends [never]
  ? Data
  : string extends Path
    ? Data
    : Data extends readonly unknown[]
      ? RedactedItems<Data, Path>
      : Data extends object
        ? Flat<Kept<Data, Path> & Removable<Data, Path>>
        : Data

type RedactedItems<Items extends readonly unknown[], Path extends string> = {
  [Index in keyof Items]: Redacted<Items[Index], Path>
}

type Kept<Data extends object, Path extends string> = {
  [Key in keyof Data as Key extends Path ? never : Key]: Redacted<Data[Key], Rest<Path, Key>>
}

type Removable<Data extends object, Path extends string> = {
  [Key in keyof Data as Key extends Path ? Key : never]?: Data[Key]
}

/** Of the paths through a key, what comes after it. */
type Rest<Path extends string, Key> = Key extends string
  ? Path extends `${Key}.${infer After}`
    ? After
    : never
  : never

/** One object type, as somebody would have written it, in place of an intersection. */
type Flat<Data> = { [Key in keyof Data]: Data[Key] }
