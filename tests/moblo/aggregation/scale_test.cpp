#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "moblo/aggregation/forum_weighting.hpp"
#include "moblo/aggregation/simplex_maps.hpp"
#include "tests/moblo/aggregation/steps.hpp"

/// Gradients of any size: every weighting is right, or says that numbers leave the range of double precision. Scales
/// are powers of two, so that nothing but the range changes.
namespace moblo::aggregation::testing::scale {
namespace {

using Wide = Eigen::Matrix<long double, Eigen::Dynamic, Eigen::Dynamic>;  // exponents up to 2^16383
using WideVector = Eigen::Matrix<long double, Eigen::Dynamic, 1>;

constexpr std::array sizes{1, 2, 3, 11};
/// Exponents of two at which the Gramian of every family has all its digits.
constexpr int lowest_safe = -440, highest_safe = 480;
const std::vector<int> exponents{-1000, -700, -530, -520, -511, -500, -480, -440, -270, -200, -40,
                                 0,     40,   200,  270,  400,  480,  500,  508,  512,  700,  980};
constexpr int far_off = 120;  // from 1, where a formula has a scale of its own

double power(int exponent) {
  return std::ldexp(1.0, exponent);
}

/// Weights at the scale c are those at c = 1 times c^degree; where a formula has a scale of its own (a clip, a floor),
/// so it is far above and far below it.
struct Degrees {
  double above = 0, below = 0, heads = 0;
};

struct Subject {
  std::string name;
  Json options = Json::object();

  std::string title() const { return name + " " + options.dump(); }
  Steps start(Eigen::Index m) const { return Steps(name, m, options); }
  WeightingNeeds needs() const { return Steps(name, 1, options).weighting().needs(); }
  bool has_scale() const { return needs().gramian && !needs().scale_free; }

  std::optional<Degrees> degrees() const {
    if (!has_scale()) return Degrees{};
    if (name == "nashmtl") return Degrees{-1, 0, 0};
    if (name == "gradnorm" || name == "dbmtl" || name == "excess" || name == "modo") return Degrees{};
    if (name == "mgda") return Degrees{-1, -1, 0};
    if (name != "fairgrad") return std::nullopt;
    const double alpha = options.value("alpha", 1.0), degree = -2 * alpha / (1 + alpha);
    return Degrees{degree, degree, degree};
  }
};

std::vector<Subject> subjects() {
  std::vector<Subject> all;
  for (const auto& info : weighting_catalogue()) all.push_back({info.name});
  for (const char* by : {"l2", "loss", "loss+"}) all.push_back({"mgda", {{"normalise", by}}});
  for (const double alpha : {0.1, 0.5, 4.0}) all.push_back({"fairgrad", {{"alpha", alpha}}});
  all.push_back({"nashmtl", {{"clip", 0}}});
  all.push_back({"cagrad", {{"radius", 1.5}}});
  all.push_back({"imtl", {{"variant", "gradient"}}});
  all.push_back({"aligned", {{"scale", "rmse"}}});
  all.push_back({"sdmgrad", {{"batches", "one"}}});
  return all;
}

void PrintTo(const Subject& subject, std::ostream* out) {
  *out << subject.title();
}

/// Three steps, or why not.
struct Outcome {
  std::vector<TaskWeights> steps;
  std::string refusal;
};

/// From explicit rows, or from their Gramian alone, as a method hands it over.
enum class Given { rows, gramian };

Outcome run(const Subject& subject, const TaskGradients& rows, Eigen::Index m, Given given) {
  Steps steps = subject.start(m);
  Weighting& weighting = steps.weighting();
  Outcome out;
  try {
    for (int k = 0; k < 3; ++k) {
      const Eigen::VectorXd losses = Eigen::VectorXd::LinSpaced(m, 0.7, 1.9) / (k + 1);
      const TaskGradients grown = (1 + 0.25 * k) * rows;
      if (given == Given::rows) {
        const Aggregate answer = steps.next(grown, losses);
        EXPECT_TRUE(answer.direction.allFinite());
        out.steps.push_back(answer.weights);
      } else {
        out.steps.push_back(weighting.weigh({k, 2, losses, grown * grown.transpose()}));
        if (weighting.needs().losses_after) weighting.observe_after(losses / 2);
      }
    }
  } catch (const Error& error) {
    EXPECT_TRUE(is_numeric(error)) << error.what();
    out.refusal = error.what();
  }
  return out;
}

bool names_the_range(const std::string& refusal) {
  for (const char* cause : {"overflow", "underflow", "lengths may differ", "differ too much in length"}) {
    if (refusal.find(cause) != std::string::npos) return true;
  }
  return false;
}

/// a_i is b_i times 2^shift for the rows i that count, to `tolerance` of the largest.
void expect_shifted(const Eigen::VectorXd& a, const Eigen::VectorXd& b, double shift,
                    const std::vector<Eigen::Index>& rows) {
  constexpr long double tolerance = 1e-9L;
  const WideVector got = a(rows).cast<long double>(), before = b(rows).cast<long double>();
  const WideVector expected = before * std::pow(2.0L, static_cast<long double>(shift));
  EXPECT_LE((got - expected).lpNorm<Eigen::Infinity>(), tolerance * expected.lpNorm<Eigen::Infinity>())
      << got.transpose() << "\nand\n"
      << expected.transpose();
}

std::vector<Eigen::Index> rows_where(const TaskGradients& rows, bool zero) {
  std::vector<Eigen::Index> found;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    if (rows.row(i).isZero(0) == zero) found.push_back(i);
  }
  return found;
}

TaskGradients stacked(Family family, Eigen::Index m, int samples, Rng& rng) {
  const TaskGradients base = make_gradients(family, m, rng);
  TaskGradients rows = base.replicate(samples, 1);
  if (samples > 1) rows += 0.1 * normal_rows(samples * m, base.cols(), rng);
  return rows;
}

class EverySubject : public ::testing::TestWithParam<Subject> {};

/// check(rows, m) on every family and size.
void for_each_stack(const Subject& subject, const std::function<void(const TaskGradients&, Eigen::Index)>& check) {
  for (const Family family : all_families) {
    for (const int m : sizes) {
      SCOPED_TRACE(std::string(name_of(family)) + ", m = " + std::to_string(m));
      Rng rng(derive_seed(17, name_of(family), static_cast<std::uint64_t>(m)));
      check(stacked(family, m, subject.needs().samples, rng), m);
    }
  }
}

/// How the weights of a step change with the scale: those of a zero row do not, and need not be right.
void expect_scaled(const Subject& subject, const TaskGradients& rows, const TaskWeights& answer,
                   const TaskWeights& known, int shift, const Degrees& degrees) {
  const bool clipped = subject.name != "nashmtl" || known.shared != known.heads;
  const double degree = !clipped ? 0 : shift > 0 ? degrees.above : degrees.below;
  expect_shifted(answer.shared, known.shared, shift * degree, rows_where(rows, false));
  if (subject.needs().samples > 1) return;  // heads are as many as tasks
  expect_shifted(answer.heads, known.heads, shift * degrees.heads, rows_where(rows, false));
  expect_shifted(answer.heads, known.heads, 0, rows_where(rows, true));
}

void expect_equivariance(const Subject& subject, Given given) {
  const auto degrees = subject.degrees();
  ASSERT_TRUE(degrees) << "say in Subject::degrees how the weights of " << subject.name << " scale";
  for_each_stack(subject, [&](const TaskGradients& rows, Eigen::Index m) {
    for (const int exponent : exponents) {
      SCOPED_TRACE("2^" + std::to_string(exponent));
      const int at = !subject.has_scale() ? 0 : exponent > 0 ? far_off : -far_off;
      const Outcome out = run(subject, power(exponent) * rows, m, given);
      const Outcome known = run(subject, power(at) * rows, m, given);
      EXPECT_EQ(known.refusal.find("overflow"), std::string::npos) << known.refusal;
      if (!out.refusal.empty()) {
        if (!known.refusal.empty()) continue;
        const bool safe = exponent >= lowest_safe && exponent <= highest_safe;
        EXPECT_TRUE(names_the_range(out.refusal)) << out.refusal;
        EXPECT_FALSE(safe || (given == Given::rows && !subject.has_scale())) << out.refusal;
        continue;
      }
      if (given == Given::gramian && exponent < lowest_safe) continue;  // without digits: a gradient of zero
      ASSERT_TRUE(known.refusal.empty()) << "accepted what is refused at another scale: " << known.refusal;
      if (subject.has_scale() && std::abs(exponent) < far_off) continue;  // about the scale of its own
      for (std::size_t k = 0; k < out.steps.size(); ++k) {
        expect_scaled(subject, rows, out.steps[k], known.steps[k], exponent - at, *degrees);
      }
    }
  });
}

TEST_P(EverySubject, FollowsTheScaleOfAllGradientsOrNamesTheRange) {
  expect_equivariance(GetParam(), Given::rows);
}

TEST_P(EverySubject, FollowsTheScaleOfTheGramianOrNamesTheRange) {
  if (!GetParam().needs().gramian || GetParam().needs().entries) GTEST_SKIP() << "sees no Gramian, or more than it";
  expect_equivariance(GetParam(), Given::gramian);
}

/// Exponents that the rows take in turn.
const std::vector<std::vector<int>> mixtures{{0, -300},   {200, -200}, {400, -400},    {0, -500},  {0, 500},
                                             {600, -400}, {900, -900}, {-400, 0, 400}, {-1000, 0}, {980, 0}};

TaskGradients mixed(TaskGradients rows, const std::vector<int>& by) {
  for (Eigen::Index i = 0; i < rows.rows(); ++i) rows.row(i) *= power(by[static_cast<std::size_t>(i) % by.size()]);
  return rows;
}

TEST_P(EverySubject, IsFiniteOnRowsOfAnyLengthsOrNamesTheRange) {
  for_each_stack(GetParam(), [](const TaskGradients& rows, Eigen::Index m) {
    const Outcome plain = run(GetParam(), rows, m, Given::rows);
    for (const auto& by : mixtures) {
      SCOPED_TRACE(::testing::PrintToString(by));
      const Outcome out = run(GetParam(), mixed(rows, by), m, Given::rows);
      if (!out.refusal.empty() && plain.refusal.empty()) {
        EXPECT_TRUE(names_the_range(out.refusal)) << out.refusal;
      }
      for (const auto& step : out.steps) EXPECT_TRUE(step.shared.allFinite() && step.heads.allFinite());
    }
  });
}

TEST_P(EverySubject, KeepsNoTraceOfAStepThatOverflows) {
  const WeightingNeeds needs = GetParam().needs();
  if (!needs.gramian) GTEST_SKIP() << "sees no gradients";
  Rng rng(5);
  const TaskGradients rows = stacked(Family::conflicted, 3, needs.samples, rng);
  const Eigen::VectorXd losses = Eigen::Vector3d(0.5, 1, 2);
  Steps plain = GetParam().start(3), disturbed = GetParam().start(3);
  for (Steps* steps : {&plain, &disturbed}) steps->next(rows, losses);
  TaskGradients huge = power(600) * rows;
  try {  // as a method does it, which does not look at the rows before
    const TaskStep step{1, 2, losses, huge * huge.transpose()};
    const GradientRows<double> entries{huge.data(), huge.rows(), huge.cols(), huge.cols()};
    if (needs.entries) disturbed.weighting().rewrite(step, entries);
    disturbed.weighting().weigh(step);
    ADD_FAILURE() << "took an infinite Gramian";
  } catch (const Error& error) {
    EXPECT_TRUE(names_the_range(error.what())) << error.what();
  }
  const Aggregate a = plain.next(rows, losses), b = disturbed.next(rows, losses);
  EXPECT_EQ(a.direction, b.direction);
  EXPECT_EQ(a.weights.heads, b.weights.heads);
}

INSTANTIATE_TEST_SUITE_P(Scale, EverySubject, ::testing::ValuesIn(subjects()), [](const auto& each) {
  std::string title = each.param.title();
  std::erase_if(title, [](char c) { return !std::isalnum(static_cast<unsigned char>(c)); });
  return title + std::to_string(each.index);
});

// --- rows of different lengths, where the answer is known from those of one length ---------------------------------

const std::vector<std::vector<int>> wide{{0, -300}, {200, -200}, {400, -400}, {-420, 0, 400}, {-250, 600}};

struct Mixture {
  TaskGradients plain, scaled;
  WideVector scales;

  Eigen::Index tasks() const { return plain.rows(); }
  /// Weights of the rows as they were before: sum_i w_i s_i g_i.
  WideVector plain_weights(const Eigen::VectorXd& weights) const {
    return weights.cast<long double>().cwiseProduct(scales);
  }
  Wide wide_rows() const { return scaled.cast<long double>(); }
};

void for_each_mixture(const std::vector<Family>& families, const std::function<void(const Mixture&)>& check) {
  for (const Family family : families) {
    for (const int m : {2, 3, 11}) {
      for (const auto& by : wide) {
        SCOPED_TRACE(std::string(name_of(family)) + ", m = " + std::to_string(m) + ", " + ::testing::PrintToString(by));
        Rng rng(derive_seed(19, name_of(family), static_cast<std::uint64_t>(m)));
        Mixture mixture{make_gradients(family, m, rng), {}, WideVector(m)};
        mixture.scaled = mixed(mixture.plain, by);
        for (Eigen::Index i = 0; i < m; ++i) mixture.scales(i) = power(by[static_cast<std::size_t>(i) % by.size()]);
        check(mixture);
      }
    }
  }
}

TEST(MixedScales, RaysThatDoNotSeeTheLengthOfATaskStay) {
  for (const Subject& subject : {Subject{"nashmtl", {{"clip", 0}}}, Subject{"nashmtl"}, Subject{"fairgrad"},
                                 Subject{"imtl", {{"variant", "gradient"}}}, Subject{"config"}}) {
    SCOPED_TRACE(subject.title());
    for_each_mixture({Family::random, Family::conflicted}, [&](const Mixture& mixture) {
      if (subject.has_scale() && mixture.scales.maxCoeff() > power(highest_safe)) return;
      const Aggregate answer = subject.start(mixture.tasks()).next(mixture.scaled),
                      known = subject.start(mixture.tasks()).next(mixture.plain);
      const WideVector ray =
          mixture.plain.cast<long double>().transpose() * mixture.plain_weights(answer.weights.shared);
      EXPECT_LE((ray.normalized() - known.direction.cast<long double>().normalized()).norm(), 1e-9L);
    });
  }
}

/// Each gradient is altered by itself and the sum is taken: a longer gradient has a longer share, of the same make-up.
/// Entry i, j: what g_i's share holds of g_j, read off by making g_i three times as long.
Wide shares_of(const std::string& name, const TaskGradients& rows) {
  Wide shares(rows.rows(), rows.rows());
  const Eigen::VectorXd all = first_step(name, rows).weights.shared;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    TaskGradients longer = rows;
    longer.row(i) *= 3;
    Eigen::VectorXd with = first_step(name, longer).weights.shared;
    with(i) *= 3;
    shares.row(i) = ((with - all) / 2).transpose().cast<long double>();
  }
  return (shares.array().abs() > 1e-12L).select(shares, 0);  // the rest is rounding of the difference
}

TEST(MixedScales, SumsOfAlteredGradientsAreLinearInTheirLengths) {
  for (const char* name : {"pcgrad", "gradvac", "upgrad"}) {
    SCOPED_TRACE(name);
    for_each_mixture({Family::random, Family::conflicted}, [&](const Mixture& mixture) {
      const Wide shares = mixture.scales.asDiagonal() * shares_of(name, mixture.plain);
      const WideVector expected = shares.colwise().sum(), terms = shares.cwiseAbs().colwise().sum();
      const WideVector off = mixture.plain_weights(first_step(name, mixture.scaled).weights.shared) - expected;
      EXPECT_LE(off.cwiseAbs().cwiseQuotient(terms).maxCoeff(), 1e-9L) << off.transpose();
    });
  }
}

/// <g_i, d> >= |d|^2 for every i, up to a backward error: |g_i| D with D = sum_j lambda_j |g_j|.
TEST(MixedScales, MgdaIsTheShortestOfTheHull) {
  for_each_mixture({all_families.begin(), all_families.end()}, [](const Mixture& mixture) {
    const Wide rows = mixture.wide_rows();
    const WideVector lambda = first_step("mgda", mixture.scaled).weights.shared.cast<long double>();
    const WideVector direction = rows.transpose() * lambda, lengths = rows.rowwise().norm();
    const long double size = lambda.dot(lengths);
    EXPECT_NEAR(static_cast<double>(lambda.sum()), 1, 1e-12);
    EXPECT_GE(lambda.minCoeff(), 0);
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      EXPECT_GE(rows.row(i).dot(direction), direction.squaredNorm() - 1e-12L * (lengths(i) + size) * size) << i;
    }
  });
}

TEST(MixedScales, DualProjectionsConflictWithNone) {
  for (const char* name : {"upgrad", "dualproj"}) {
    for_each_mixture({all_families.begin(), all_families.end()}, [&](const Mixture& mixture) {
      const Wide rows = mixture.wide_rows();
      const WideVector weights = first_step(name, mixture.scaled).weights.shared.cast<long double>();
      const WideVector direction = rows.transpose() * weights, lengths = rows.rowwise().norm();
      for (Eigen::Index i = 0; i < rows.rows(); ++i) {
        EXPECT_GE(rows.row(i).dot(direction), -1e-9L * lengths(i) * weights.dot(lengths)) << name << " " << i;
      }
    });
  }
}

/// d = g_0 + c |g_0| u with u the unit vector of the hull point g_w: w has its weight where <g_i, d> is least.
TEST(MixedScales, CaGradHelpsTheWorstTask) {
  for_each_mixture({Family::random, Family::conflicted, Family::orthogonal}, [](const Mixture& mixture) {
    const Wide rows = mixture.wide_rows();
    const auto m = static_cast<long double>(rows.rows());
    const WideVector weights =
        first_step("cagrad", mixture.scaled, {{"rescale", false}}).weights.shared.cast<long double>();
    const WideVector hull = weights.array() - 1 / m, mean = rows.colwise().mean();
    const WideVector direction = rows.transpose() * weights, gains = rows * direction, lengths = rows.rowwise().norm();
    EXPECT_NEAR(static_cast<double>((direction - mean).norm() / (mean.norm() / 2)), 1, 1e-9);
    EXPECT_GE(hull.minCoeff(), -1e-15L);
    const long double least = hull.dot(gains) / hull.sum();
    for (Eigen::Index i = 0; i < rows.rows(); ++i) {
      EXPECT_GE(gains(i) - least, -1e-9L * lengths(i) * direction.norm()) << i;
      EXPECT_LE(hull(i) * (gains(i) - least), 1e-9L * hull.cwiseAbs().dot(lengths) * direction.norm()) << i;
    }
  });
}

/// Directions 2^300 times shorter than others are below every rank tolerance: the long ones are aligned as if alone.
TEST(MixedScales, AlignedMtlCutsWhatIsTooShort) {
  for_each_mixture({Family::random, Family::conflicted}, [](const Mixture& mixture) {
    std::vector<Eigen::Index> kept;
    for (Eigen::Index i = 0; i < mixture.tasks(); ++i) {
      if (mixture.scales(i) == mixture.scales.maxCoeff()) kept.push_back(i);
    }
    const Aggregate answer = first_step("aligned", mixture.scaled),
                    known = first_step("aligned", mixture.scaled(kept, Eigen::all));
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(mixture.tasks());
    expected(kept) = known.weights.shared;
    expect_same(answer.weights.shared, expected, 1e-9);
  });
}

// --- what the weightings are made of --------------------------------------------------------------------------------

TEST(MixedScales, ForumDoesNotSeeTheUnitOfLength) {
  for (const auto multiplier : {qp::Multiplier::paper, qp::Multiplier::exact}) {
    for (const double floor : {0.0, 1e-3}) {
      for (const Family family : all_families) {
        for (const int m : {1, 2, 3, 11}) {
          Rng rng(derive_seed(23, name_of(family), static_cast<std::uint64_t>(m)));
          TaskGradients rows(m + 1, m + 7);
          rows << make_gradients(family, m, rng), normal_rows(1, m + 7, rng);
          const Eigen::MatrixXd gramian = rows * rows.transpose();
          const auto weigh = [&](int exponent) {
            const double square = power(2 * exponent);
            ForumWeighting forum({.rho = 0.5, .multiplier = multiplier, .q_floor = floor * square});
            forum.start(m);
            return forum.weigh(square * gramian, 0.7);
          };
          const ForumWeights known = weigh(0);
          for (const int exponent : {-480, -440, -300, -100, 100, 300, 440, 480}) {
            SCOPED_TRACE(std::string(name_of(family)) + ", m = " + std::to_string(m) + ", 2^" +
                         std::to_string(exponent));
            const ForumWeights weights = weigh(exponent);
            expect_same(weights.coefficients, known.coefficients, 1e-12);
            expect_same(weights.solved, known.solved, 1e-12);
            EXPECT_LE(weights.residual, 1e-10);
          }
        }
      }
    }
  }
}

TEST(MixedScales, ForumRefusesAGramianThatOverflows) {
  ForumWeighting forum({});
  forum.start(2);
  Eigen::MatrixXd gramian = Eigen::MatrixXd::Identity(3, 3);
  gramian(1, 1) = std::numeric_limits<double>::infinity();
  try {
    forum.weigh(gramian, 1);
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("FORUM: |g_2|^2 = inf"), std::string::npos) << error.what();
  }
}

/// Far from the simplex only the differences count.
TEST(MixedScales, TheNearestPointOfTheSimplexStaysWhereAllEntriesMove) {
  const Eigen::Vector3d point(0.25, -0.5, 0.5);  // exact beside 2^50
  for (const int exponent : {10, 25, 40, 50}) {
    for (const double sign : {-1.0, 1.0}) {
      const Eigen::Vector3d moved = point.array() + sign * power(exponent);
      EXPECT_LE((project_onto_simplex(moved) - project_onto_simplex(point)).norm(), 1e-12) << exponent;
    }
  }
  for (const double size : {1e6, 1e16, 1e100, 1e300}) {
    EXPECT_EQ(project_onto_simplex(size * Eigen::Vector3d(-3, -1, -2)), Eigen::Vector3d(0, 1, 0)) << size;
    EXPECT_EQ(project_onto_simplex(size * Eigen::Vector3d(1, 3, 3)), Eigen::Vector3d(0, 0.5, 0.5)) << size;
  }
}

TEST(MixedScales, SlopesOfTrainedScalesWhoseSquaresOverflowAreRefused) {
  Rng rng(3);
  const TaskGradients rows = normal_rows(2, 5, rng);
  for (const char* name : {"uw", "imtl"}) {
    Steps plain(name, 2), disturbed(name, 2);
    EXPECT_THROW(disturbed.next(rows, Eigen::Vector2d(1, 1e200)), Error) << name;
    EXPECT_EQ(plain.next(rows).weights.heads, disturbed.next(rows).weights.heads) << name;
    EXPECT_EQ(plain.next(rows).weights.heads, disturbed.next(rows).weights.heads) << name;
  }
}

TEST(MixedScales, RowsThatAreNotFiniteAreNamed) {
  for (const auto& info : weighting_catalogue()) {
    const int samples = Subject{info.name}.needs().samples;
    TaskGradients rows = TaskGradients::Ones(2 * samples, 3);
    rows(1, 2) = std::numeric_limits<double>::infinity();
    try {
      first_step(info.name, rows);
      ADD_FAILURE() << info.name;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("gradient 2"), std::string::npos) << error.what();
    }
  }
}

}  // namespace
}  // namespace moblo::aggregation::testing::scale
