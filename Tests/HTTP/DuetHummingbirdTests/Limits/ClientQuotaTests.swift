import Duet
import DuetHTTP
import DuetTesting
import Testing

struct ClientQuotaTests {
    private let clock = ManualClock()

    @Test
    func `a client uses its quota at once and regains it evenly`() {
        let quota = ClientQuota(3, per: .seconds(60), clock: clock)
        for _ in 1...3 { #expect(quota.use(by: "192.0.2.1") == nil) }
        #expect(quota.use(by: "192.0.2.1") == .seconds(20))
        clock.advance(by: .seconds(19))
        #expect(quota.use(by: "192.0.2.1") == .seconds(1))
        clock.advance(by: .seconds(1))
        #expect(quota.use(by: "192.0.2.1") == nil)
        #expect(quota.use(by: "192.0.2.1") == .seconds(20))
        clock.advance(by: .seconds(600))
        for _ in 1...3 { #expect(quota.use(by: "192.0.2.1") == nil) }
        #expect(quota.use(by: "192.0.2.1") != nil)
    }

    @Test(arguments: [
        ("192.0.2.1", "192.0.2.2", false), ("2001:db8:1:2::1", "2001:db8:1:2:ffff::9", true),
        ("2001:db8:1:2::1", "2001:db8:1:3::1", false), ("2001:db8::1", "2001:db8:0:0:1::", true), ("::1", "::2", true),
        ("::ffff:192.0.2.1", "::ffff:192.0.2.2", false), ("fe80::1%eth0", "fe80::2%eth0", true),
        ("::ffff:192.0.2.1", "192.0.2.1", true), ("::FFFF:c000:201", "192.0.2.1", true),
        ("::ffff:c000:201", "::ffff:c000:202", false), ("2001:DB8:0001:2::1", "2001:db8:1:2::1", true),
        ("2001:db8::1", "unknown", false), ("192.0.2.1\u{0}", "192.0.2.1", false),
    ])
    func `a client is an IPv4 address or half of an IPv6 address`(first: String, second: String, isSame: Bool) {
        let quota = ClientQuota(1, per: .seconds(60), clock: clock)
        #expect(quota.use(by: first) == nil)
        #expect((quota.use(by: second) != nil) == isSame)
    }

    @Test
    func `beyond ten thousand clients, the others share one quota`() {
        let quota = ClientQuota(1, per: .seconds(60), clock: clock)
        for number in 0..<10_000 { #expect(quota.use(by: "client \(number)") == nil) }
        #expect(quota.use(by: "another") == nil)
        #expect(quota.use(by: "a third") != nil)
        #expect(quota.use(by: "client 5") != nil)
        clock.advance(by: .seconds(60))
        #expect(quota.use(by: "another") == nil)
        #expect(quota.use(by: "a third") == nil)
    }

    @Test
    func `a principal has a quota of its own, wherever it connects from`() {
        let quota = ClientQuota(1, per: .seconds(60), clock: clock)
        #expect(quota.use(by: "192.0.2.1") == nil)
        #expect(quota.use(by: Principal(id: "192.0.2.1")) == nil)
        #expect(quota.use(by: Principal(id: "192.0.2.1")) == .seconds(60))
        #expect(quota.use(by: Principal(id: "Jos\u{E9}")) == nil)
        #expect(quota.use(by: Principal(id: "Jose\u{301}")) == nil)
        #expect(quota.use(by: Principal(id: "a:b:c:d:e")) == nil)
        #expect(quota.use(by: Principal(id: "a:b:c:d:f")) == nil)
    }

    @Test
    func `a client in this process has no quota`() {
        let quota = ClientQuota(1, per: .seconds(60), clock: clock)
        for _ in 1...3 { #expect(quota.use(by: nil) == nil) }
    }
}
