import DuetCluster
import DuetClusterEngine
import Testing

struct LoggedCommandTests {
    @Test func `a key has the same partition in every process`() {
        #expect(LoggedCommand.partition(of: "", among: 8) == 5)
        #expect(LoggedCommand.partition(of: "a", among: 8) == 4)
        #expect(LoggedCommand.partition(of: "image", among: 1) == 0)
    }
}
