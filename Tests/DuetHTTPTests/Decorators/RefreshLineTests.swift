import DuetHTTP
import Testing

@Suite
struct RefreshLineTests {
    private var line = RefreshLine<String>()

    @Test mutating func `the first who comes begins the refresh, and its end tells all`() {
        #expect(line.join(1, "a"))
        #expect(!line.join(2, "b"))
        #expect(line.end().sorted() == ["a", "b"])
        #expect(line.end().isEmpty)
        #expect(line.join(3, "c"))
    }

    @Test mutating func `who leaves is not told, and the refresh stays the only one`() {
        #expect(line.join(1, "a"))
        #expect(line.leave(1) == "a")
        #expect(line.leave(1) == nil)
        #expect(!line.join(2, "b"))
        #expect(line.end() == ["b"])
        #expect(line.leave(2) == nil)
    }
}
