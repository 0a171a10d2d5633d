/** A list of an app's things that the page shows as a table: its orders, for example. The app declares it. */
export interface AppList {
  /** Name in the page's address: `orders`. */
  readonly name: string;
  /** Name in the navigation: `Orders`. */
  readonly title: string;
  /** One sentence that says what is in it. */
  readonly about: string;
  /** Command whose JSON is read, by its name behind `/_console/read/`. */
  readonly read: string;
  /** Field of the JSON that has the rows. */
  readonly rows: string;
  readonly filters: readonly ListFilter[];
  readonly columns: readonly ListColumn[];
  /** Fields of the JSON whose counts stand above the table. @default none */
  readonly counts?: readonly ListCount[];
}

/** A field of the form above a list. */
export interface ListFilter {
  /** Option of the command, without `--`. */
  readonly option: string;
  readonly label: string;
  /** Values to choose among. @default any text */
  readonly choices?: readonly string[];
  readonly placeholder?: string;
}

/** A column of a list. */
export interface ListColumn {
  readonly heading: string;
  /** Path of the field in a row: `total.amount`. */
  readonly field: string;
  /** How it is shown. @default as text */
  readonly as?: 'order' | 'time' | 'seconds' | 'money' | 'list';
}

/** How many rows have which value: `statuses` with `status` and `orders`. */
export interface ListCount {
  readonly label: string;
  /** Path of the array in the JSON: `counts.statuses`. */
  readonly field: string;
  readonly value: string;
  readonly count: string;
  /** Option of the command that chooses a value. */
  readonly option: string;
}
