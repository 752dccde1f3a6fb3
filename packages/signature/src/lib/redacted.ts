/**
 * `Data`, but with the property at each `Path` optional. These properties are personal data, which is absent if the key
 * lacks the scope `people.read` or if the data was erased. A path consists of keys joined by dots. If a key leads to an
 * array, the rest of the path applies to each element. If `Path` is `string`, `Data` stays unchanged.
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

/** For each path that starts with `Key.`, the part after that prefix. */
type Rest<Path extends string, Key> = Key extends string
  ? Path extends `${Key}.${infer After}`
    ? After
    : never
  : never

/** Flattens an intersection into one object type, which is easier to read in an editor. */
type Flat<Data> = { [Key in keyof Data]: Data[Key] }
