/** The page's files, who may ask for them and for data, and the shape of the data. */

export { findForeign, type Headers, isFromOwnPage, PageAccess, type Refusal } from './access.js';
export {
  type CommandOutput,
  type CommandRun,
  Commands,
  type JsonAnswer,
  type OperatorCommands,
  type RunCommand,
  splitWords,
} from './commands.js';
export {
  COUNT_NAMES,
  type ConsoleFacts,
  type Count,
  type Counted,
  type CountedList,
  type CountName,
  type Counts,
  type PlayedToy,
  type Toy,
} from './contract.js';
export type * from './data-contract.js';
export { PAGE_PATHS, type PageFile, type PageFiles, readPageFiles, refusedPage } from './files.js';
export {
  FORECAST_KINDS,
  FORECAST_SPANS,
  type Forecast,
  type ForecastKind,
  type Foreseen,
} from './forecast-contract.js';
export type * from './histories-contract.js';
export type { AppList, ListColumn, ListCount, ListFilter } from './lists.js';
export type * from './map-contract.js';
export type * from './reference-contract.js';
