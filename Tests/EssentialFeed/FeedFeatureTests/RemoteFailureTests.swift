import FeedFeature
import Testing

struct RemoteFailureTests {
    @Test func `a failure names the operation and the reason`() {
        #expect("\(RemoteFailure.connectivity("no route"))" == "The server could not be reached: no route")
        #expect(
            "\(RemoteFailure.invalidData("items is missing"))"
                == "The server's response could not be used: items is missing"
        )
    }

    @Test func `the two kinds differ even with the same reason`() {
        #expect(RemoteFailure.connectivity("a") != .invalidData("a"))
        #expect(RemoteFailure.connectivity("a").kind == .connectivity)
        #expect(RemoteFailure.invalidData("a").kind == .invalidData)
    }
}
