import Duet
import ServiceLifecycle

/// Dispatches a command at once, then at intervals, and once more when the service ends.
///
/// On a server this takes the place of "when the app goes to the background". Failures are reported and end nothing.
struct PeriodicCommand<C: Command>: Service {
    let command: C
    let interval: Duration
    let dispatcher: any CommandDispatcher
    let clock: any Clock<Duration>
    let report: FailureReport

    func run() async throws {
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
