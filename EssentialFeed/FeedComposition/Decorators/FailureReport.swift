/// Takes note of a failure that is not shown: what failed, and why.
public typealias FailureReport = @Sendable (_ what: String, _ error: any Error) -> Void

/// Runs `work`; its failure goes to `report` and no further.
func reporting(to report: FailureReport, _ what: String, work: () async throws -> Void) async {
    do {
        try await work()
    } catch {
        report(what, error)
    }
}
