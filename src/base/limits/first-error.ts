export type FirstError = {
  fail(error: unknown): void;
  succeed(): void;
};

/** Reports the first of several errors in a row. */
export function createFirstError(report: (error: unknown) => void): FirstError {
  let isFailing = false;
  return {
    fail(error) {
      if (!isFailing) report(error);
      isFailing = true;
    },
    succeed() {
      isFailing = false;
    },
  };
}
