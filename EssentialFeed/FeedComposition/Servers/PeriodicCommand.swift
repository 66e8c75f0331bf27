package import Duet
import ServiceLifecycle

/// Dispatches a command immediately, then at intervals, and once more when the service ends.
///
/// On a server this replaces "when the app goes to the background". Failures are reported, and the service continues.
package struct PeriodicCommand<C: Command>: Service {
    private let command: C
    private let interval: Duration
    private let dispatcher: any CommandDispatcher
    private let clock: any Clock<Duration>
    private let report: FailureReport

    package init(
        command: C,
        interval: Duration,
        dispatcher: any CommandDispatcher,
        clock: any Clock<Duration>,
        report: @escaping FailureReport
    ) {
        self.command = command
        self.interval = interval
        self.dispatcher = dispatcher
        self.clock = clock
        self.report = report
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            while !Task.isCancelled {
                await dispatch()
                do {
                    try await clock.sleep(for: interval)
                } catch {
                    return
                }
            }
        }
        await dispatch()
    }

    private func dispatch() async {
        await reporting(to: report, "\(C.messageName) failed") {
            try await dispatcher.dispatch(command)
        }
    }
}
