import DuetCluster
import TestSupport
import Testing

@Suite(.timeLimit(.minutes(5))) struct MalformedEnvelopeTests {
    @Test func `a node names the fault of an envelope that it cannot read, and goes on`() async throws {
        let cluster = InProcessCluster()
        try await MalformedEnvelope.check(from: cluster, to: cluster.node())
    }

    @Test func `a sender names the fault of a response that it cannot read`() async throws {
        let cluster = InProcessCluster()
        try await MalformedResponse.check(from: cluster, to: cluster.node())
    }
}
