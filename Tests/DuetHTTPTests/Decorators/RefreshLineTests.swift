import DuetHTTP
import Testing

@Suite
struct RefreshLineTests {
    @Test func `the first who comes begins the refresh, and its end tells all`() {
        var line = RefreshLine<String>()
        let begun = [line.join(1, "a"), line.join(2, "b")]
        #expect(begun == [true, false])
        let told = [line.end().sorted(), line.end()]
        #expect(told == [["a", "b"], []])
        let isBegunAnew = line.join(3, "c")
        #expect(isBegunAnew)
    }

    @Test func `who leaves is not told, and the refresh stays the only one`() {
        var line = RefreshLine<String>()
        let isBegun = line.join(1, "a")
        #expect(isBegun)
        let left = [line.leave(1), line.leave(1)]
        #expect(left == ["a", nil])
        let isBegunAgain = line.join(2, "b")
        #expect(!isBegunAgain)
        let told = line.end()
        #expect(told == ["b"])
        let leftLate = line.leave(2)
        #expect(leftLate == nil)
    }

    @Test func `nobody has the id of another`() {
        var line = RefreshLine<String>()
        let ids = (1...100).map { _ in line.newID() }
        #expect(Set(ids).count == 100)
    }
}
