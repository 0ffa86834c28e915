// Prints the tests that failed at first and passed when repeated. Each of them shows a defect.
import type { Reporter, TestModule } from 'vitest/node';

export default class RepeatedTests implements Reporter {
  onTestRunEnd(modules: readonly TestModule[]): void {
    for (const module of modules) {
      for (const test of module.children.allTests()) {
        if (!test.diagnostic()?.flaky) continue;
        const [error] = test.result().errors ?? [];
        const reason = error?.stack ?? error?.message ?? '';
        process.stdout.write(
          `Passed only when repeated: ${module.relativeModuleId} > ${test.fullName}\n${reason}\n\n`,
        );
      }
    }
  }
}
