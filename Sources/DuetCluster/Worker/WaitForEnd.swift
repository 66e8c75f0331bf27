import Duet
import ServiceLifecycle

/// Waits until the task is canceled, or the service group that runs it shuts down.
func waitForEnd() async {
    let end = Monitor(false)
    await withTaskCancellationOrGracefulShutdownHandler {
        await end.waitEvenIfCanceled { $0 }
    } onCancelOrGracefulShutdown: {
        end.update { $0 = true }
    }
}
