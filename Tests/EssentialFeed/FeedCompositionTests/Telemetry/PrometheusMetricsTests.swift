import CoreMetrics
import FeedServing
import Testing

/// The text format of Prometheus.
@Suite struct PrometheusMetricsTests {
    private let metrics = PrometheusMetrics(seriesLimit: 3)

    @Test func `a counter is a total`() {
        Counter(label: "feed.pages", dimensions: [("http.route", "/feed")], factory: metrics).increment(by: 2)
        Counter(label: "feed.pages", dimensions: [("http.route", "/feed")], factory: metrics).increment()
        #expect(
            metrics.text == """
                # HELP feed_pages_total Number of feed.pages.
                # TYPE feed_pages_total counter
                feed_pages_total{http_route="/feed"} 3

                """
        )
    }

    @Test func `a meter and a gauge are gauges, which go up and down`() throws {
        let meter = Meter(label: "active", factory: metrics)
        meter.increment()
        meter.increment(by: 2)
        meter.decrement()
        Gauge(label: "entries", factory: metrics).record(2.5)
        let families = try PrometheusText(metrics.text).families
        #expect(families["active"]?.type == "gauge")
        #expect(families["active"]?.samples["active"] == 2)
        #expect(families["entries"]?.type == "gauge")
        #expect(families["entries"]?.samples["entries"] == 2.5)
    }

    @Test func `a timer is a histogram in seconds, whose buckets are cumulative`() throws {
        let timer = Timer(label: "duet.message.duration", dimensions: [("kind", "query")], factory: metrics)
        // Boundaries count for their bucket.
        for milliseconds in [1, 5, 6, 20_000] { timer.recordMilliseconds(milliseconds) }
        let family = try #require(PrometheusText(metrics.text).families["duet_message_duration_seconds"])
        #expect(family.type == "histogram")
        func bucket(_ bound: String) -> Double? {
            family.samples[#"duet_message_duration_seconds_bucket{kind="query",le="\#(bound)"}"#]
        }
        #expect(bucket("0.0005") == 0)
        #expect(bucket("0.001") == 1)
        #expect(bucket("0.0025") == 1)
        #expect(bucket("0.005") == 2)
        #expect(bucket("0.01") == 3)
        #expect(bucket("10") == 3)
        #expect(bucket("+Inf") == 4)
        #expect(family.samples[#"duet_message_duration_seconds_count{kind="query"}"#] == 4)
        let sum = try #require(family.samples[#"duet_message_duration_seconds_sum{kind="query"}"#])
        #expect(abs(sum - 20.012) < 0.000_001)
    }

    @Test func `a recorder is a summary`() throws {
        let recorder = Recorder(label: "size", factory: metrics)
        recorder.record(1)
        recorder.record(4)
        let family = try #require(PrometheusText(metrics.text).families["size"])
        #expect(family.type == "summary")
        #expect(family.samples == ["size_sum": 5, "size_count": 2])
    }

    @Test func `the values of labels are escaped`() throws {
        let value = "a\\b\"c\nd }, x=\"1\" é"
        Counter(label: "c", dimensions: [("label", value)], factory: metrics).increment()
        #expect(metrics.text.contains(#"c_total{label="a\\b\"c\nd }, x=\"1\" é"} 1"#))
        let labels = try #require(PrometheusText(metrics.text).families["c_total"]?.labels)
        #expect(labels == [["label": value]])
    }

    @Test func `names have only the characters of the format, and help texts are escaped`() throws {
        Counter(
            label: "9 évil\n# TYPE x gauge\nname",
            dimensions: [("the-label", "1"), ("le", "2"), ("", "3")],
            factory: metrics
        ).increment()
        let text = try PrometheusText(metrics.text)
        #expect(text.families.count == 1)
        #expect(
            text.families["_9___vil___TYPE_x_gauge_name_total"]?.labels == [
                ["the_label": "1", "exported_le": "2", "_": "3"]
            ]
        )
    }

    @Test func `labels without a value are left out, and the order of labels does not matter`() throws {
        Counter(label: "c", dimensions: [("b", "2"), ("a", "1"), ("error.type", "")], factory: metrics).increment()
        Counter(label: "c", dimensions: [("a", "1"), ("b", "2")], factory: metrics).increment()
        #expect(try PrometheusText(metrics.text).families["c_total"]?.samples == [#"c_total{a="1",b="2"}"#: 2])
    }

    @Test func `combinations of labels beyond the limit are counted together`() throws {
        for number in 1...5 {
            Counter(label: "c", dimensions: [("n", "\(number)")], factory: metrics).increment()
        }
        Counter(label: "c", dimensions: [("n", "1")], factory: metrics).increment()
        #expect(
            try PrometheusText(metrics.text).families["c_total"]?.samples == [
                #"c_total{n="1"}"#: 2, #"c_total{n="2"}"#: 1, #"c_total{n="3"}"#: 1,
                #"c_total{overflow="true"}"#: 2,
            ]
        )
    }

    @Test func `of two metrics with one name and different kinds, the first is shown`() throws {
        Gauge(label: "c_total", factory: metrics).record(7)
        Counter(label: "c", factory: metrics).increment()
        #expect(try PrometheusText(metrics.text).families["c_total"]?.samples == ["c_total": 7])
    }

    @Test func `concurrent increments are all counted`() async throws {
        await withTaskGroup { group in
            for _ in 1...8 {
                group.addTask {
                    for _ in 1...1_000 { Counter(label: "c", dimensions: [("a", "b")], factory: metrics).increment() }
                }
            }
        }
        #expect(try PrometheusText(metrics.text).families["c_total"]?.samples == [#"c_total{a="b"}"#: 8_000])
    }
}
